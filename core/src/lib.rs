//! The engine of plyfold.
#![no_std]
extern crate alloc;
