//! The symbol that pulls the constructor and the destructor into a program.
//!
//! The clang driver passes `-u__llvm_profile_runtime`. A program that defines the symbol itself does not get this archive
//! member: nothing is done at its start and exit, and there is no file code unless it calls some.
//!
//! Objects for targets other than Linux refer to the symbol themselves. Without a system there is nothing to construct.

#![allow(unsafe_code)]
#![allow(non_upper_case_globals, reason = "a C name")]

core::arch::global_asm!(".hidden __llvm_profile_runtime");
crate::native::comment! {}

// GNU ld and gold look into an archive once. Where the only value sites are in libraries behind ours, they would take LLVM's calls from
// the compiler's own archive, whose values we do not know, and lose them without a word. LLVM's file with these calls has a
// function of this name too, and two are an error. (A reference without a relocation.)
#[cfg(feature = "hosted")]
core::arch::global_asm!(".globl lprofSetupValueProfiler");

// Links the calls to which a program may have only weak references.
#[cfg(feature = "hosted")]
super::present::bring! { profrt_file_calls }

/// The symbol; its value is not used.
#[unsafe(no_mangle)]
pub static __llvm_profile_runtime: core::sync::atomic::AtomicI32 = core::sync::atomic::AtomicI32::new(0);

#[cfg(feature = "hosted")]
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = crate::lifecycle::start::initialize;

// The first in the array, so the last to be called: counts of the program's destructors belong to the profile.
#[cfg(feature = "hosted")]
#[used]
#[unsafe(link_section = ".fini_array.100")]
static DESTRUCTOR: extern "C" fn() = crate::lifecycle::start::at_exit;
