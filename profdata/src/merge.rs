//! Merges profiles: associative, commutative, never silent.
