//! Random sequences of commands, sent to the embedded server and to its original.
