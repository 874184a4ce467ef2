//! Archives, relocatable objects and several objects at once.
