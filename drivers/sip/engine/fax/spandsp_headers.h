// spandsp.h is C of its time: it expects these to be there. For .cc files, after all other headers:
// it makes macros of lrint and its like.
#pragma once
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <spandsp.h>
