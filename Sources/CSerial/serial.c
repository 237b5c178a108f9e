#include "CSerial.h"
