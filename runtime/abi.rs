//! The C interface: every C name that the archive defines. Functions convert arguments and results, and leave the work to other modules.
//!
//! | file | names |
//! | --- | --- |
//! | `variables` | `__llvm_profile_raw_version`, `__llvm_profile_filename` |
//! | `sizes` | `__llvm_profile_get_*` of magic, version, counts and sizes; `__llvm_profile_begin_*`, `__llvm_profile_end_*` |
//! | `buffer` | `__llvm_profile_get_size_for_buffer`(`_internal`), `__llvm_profile_write_buffer`(`_internal`) |
//! | `control` | reset, time stamps, access to records, `__llvm_profile_merge_from_buffer`, `__llvm_profile_check_compatibility` |
//! | `file` | names, directories, `write_file`, `dump`, stream, dumped mark; continuous mode; `__llvm_orderfile_*`, `__llvm_write_custom_profile` |
//! | `gcov` | `llvm_gcov_init`, `llvm_gcda_*`, `__gcov_*` |
//! | `leave` | `__wrap__exit`, `__wrap__Exit` |
//! | `value` | `__llvm_profile_instrument_*`, `__llvm_profile_set_num_value_sites` |
//! | `atomic` | `__atomic_fetch_add_8`: on devices whose CPU has no such instruction |
//! | `register` | `__llvm_profile_register_function`, `_register_names_function`: without a system, for old compilers |
//! | `own` | `profrt_*`: calls that LLVM's runtime does not have |
//! | `pages` | `profrt_continuous`: whole pages for counters, no function |
//! | `present` | references to the calls that every instrumented program has, no function |
//! | `runtime` | `__llvm_profile_runtime`, on hosted systems with the constructor |
//!
//! All names are hidden, but `__llvm_write_custom_profile`, `__gcov_dump`, `__gcov_reset` and `profrt_gcov_images`. Each name stands in a module
//! of its own, so that it is an archive member of its
//! own: a program links only the functions that it calls, and on hosted systems those that LLVM's archive would link, too (`present`). The
//! `.hidden` directive has to be in the codegen unit that defines the symbol: the macro puts both into that module.

#![allow(unsafe_code)]
#![allow(non_snake_case, reason = "C names")]

/// Exports functions under their C names, hidden, each in a module of its own. With `brings GROUP;`, each function also links that group of
/// [`present`]. Parameters may have a `#[cfg]`.
macro_rules! export {
    (brings $group:ident; $($(#[$doc:meta])* fn $name:ident $arguments:tt $(-> $result:ty)? $body:block)*) => {$(
        export! { with [$group] $(#[$doc])* fn $name $arguments $(-> $result)? $body }
    )*};
    ($($(#[$doc:meta])* fn $name:ident $arguments:tt $(-> $result:ty)? $body:block)*) => {$(
        export! { with [] $(#[$doc])* fn $name $arguments $(-> $result)? $body }
    )*};
    (
        with [$($group:ident)?] $(#[$doc:meta])*
        fn $name:ident($($(#[$if:meta])* $arg:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block
    ) => {
        $(#[$doc])*
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;

            $crate::link::hide!(stringify!($name));
            $(
                #[cfg(feature = "hosted")]
                $crate::abi::present::bring! { $group }
            )?

            $(#[$doc])*
            ///
            /// # Safety
            /// Pointers must be valid for what the C function does with them.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($(#[$if])* $arg: $type),*) $(-> $result)? $body
        }
    };
}

/// Stores a result in memory of the program.
///
/// # Safety
/// `to` must point to writable memory for a `T`, aligned.
#[inline(always)]
unsafe fn store<T>(to: *mut T, value: T) {
    // SAFETY: `to` is writable and aligned by this function's contract.
    unsafe { to.write(value) };
    crate::os::initialized(to.cast(), size_of::<T>());
}

pub mod buffer;
pub mod control;
#[cfg(feature = "hosted")]
pub mod file;
// As a crate, every Rust program would link the constructor and the destructor.
#[cfg(all(feature = "archive", complete))]
pub mod gcov;
#[cfg(all(feature = "archive", complete))]
pub mod leave;
pub mod own;
#[cfg(feature = "hosted")]
pub mod present;
#[cfg(not(feature = "hosted"))]
pub mod register;
pub mod runtime;
pub mod sizes;
pub mod value;

#[cfg(all(feature = "archive", complete))]
pub mod pages {
    //! Page alignment for counters and bitmaps, so that the file of continuous mode can be mapped over them.
    //!
    //! An empty, page-aligned contribution to each section: linked last, it pads the section to whole pages, and its alignment makes the section
    //! begin at a page. Only some programs want it, so `cargo xtask build` takes this member out of the archive and installs it next to it, as
    //! `profrt-continuous.o`, which has to be linked after the instrumented objects.

    /// The largest page that the system may have, as a power of two.
    const PAGE: u32 = if cfg!(any(target_arch = "x86", target_arch = "x86_64")) { 12 } else { 16 };

    crate::link::whole_pages! { "profrt_continuous", PAGE }
}

#[cfg(feature = "archive")]
mod panic {
    //! The panic handler that an archive without `std` must have. `cargo xtask audit` proves that no code reaches it.

    #[cfg(profrt_panic_proof)]
    unsafe extern "C" {
        safe fn profrt_panic_reached() -> !;
    }

    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
        // In the proof build no object defines the function, so the linker reports it when this handler is reachable.
        #[cfg(profrt_panic_proof)]
        profrt_panic_reached();
        #[cfg(not(profrt_panic_proof))]
        loop {
            core::hint::spin_loop();
        }
    }
}

#[cfg(not(any(weak_by_c, weak_by_reference)))]
pub mod variables {
    //! Variables, most of them weak: a definition by the compiler in an instrumented program overrides them.
    //!
    //! Each is in a module, and so an archive member, of its own.

    /// The raw version of a program whose objects do not define it (front-end instrumentation).
    pub mod raw_version {
        crate::link::variable! {
            ".weak" "__llvm_profile_raw_version", "8", ".8byte", crate::native::RAW_VERSION.number()
        }
    }

    /// The file name that was passed to the compiler: none.
    pub mod filename {
        crate::link::variable! {
            ".weak" "__llvm_profile_filename", "1", ".byte", 0
        }
    }
}
