#pragma once
#include <cmath>

inline double rounded(double value) {
  if (std::isnan(value))
    return 0;
  return std::round(value);
}
