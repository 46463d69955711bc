//! What users of other guards and locks were burnt by, one test or several for each report. The table that says which
//! report a test is for is `tests/guard/README.md`.

mod clocks;
mod exits;
mod leases;
mod scripts;
mod waiters;
