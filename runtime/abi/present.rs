//! Links calls into programs that only have weak references to them, as LLVM's archive does.
//!
//! Programs refer to the runtime weakly, to call it only where it is linked (`if (__llvm_profile_write_file) …`). A weak reference
//! pulls no archive member, and here each call is a member of its own, so something else has to pull it. LLVM keeps these calls in a
//! few objects that every instrumented program links. Each group below is a member that refers to what LLVM keeps together, and
//! whatever LLVM's archive links those objects for refers to the group.
//!
//! `--gc-sections` still drops what nobody else refers to.
//!
//! `c-tests/link/weak.c` compares programs that are linked with LLVM's archive and with ours.

/// Refers to symbols by their names.
macro_rules! bring {
    ($($name:ident)*) => { $crate::link::bring_calls!($(stringify!($name)),*); };
}
pub(super) use bring;

/// A group: a symbol of no bytes, in a module and so an archive member of its own, and references to what belongs to it.
macro_rules! group {
    ($(#[$doc:meta])* $group:ident { $($(#[$only:meta])? { $($name:ident)* })* }) => {
        $(#[$doc])*
        pub mod $group {
            $crate::link::mark! { stringify!($group) }
            $($(#[$only])? super::bring! { $($name)* })*
        }
    };
}

group! {
    /// What LLVM links for calls of buffers. It needs no C library.
    profrt_buffer_calls {
        {
            __llvm_profile_begin_counters __llvm_profile_begin_data __llvm_profile_begin_names __llvm_profile_begin_vnodes
            __llvm_profile_counter_entry_size __llvm_profile_enable_continuous_mode __llvm_profile_end_counters
            __llvm_profile_end_data __llvm_profile_end_names __llvm_profile_end_vnodes __llvm_profile_get_counters_size
            __llvm_profile_get_data_size __llvm_profile_get_magic __llvm_profile_get_num_counters
            __llvm_profile_get_num_data __llvm_profile_get_num_padding_bytes
            __llvm_profile_get_padding_sizes_for_counters __llvm_profile_get_size_for_buffer
            __llvm_profile_get_size_for_buffer_internal __llvm_profile_get_version
            __llvm_profile_is_continuous_mode_enabled __llvm_profile_reset_counters __llvm_profile_set_dumped
            __llvm_profile_set_page_size __llvm_profile_write_buffer __llvm_profile_write_buffer_internal
        }
        #[cfg(not(since = "11"))]
        { __llvm_profile_begin_orderfile }
        #[cfg(since = "9")]
        {
            __llvm_profile_begin_bitmap __llvm_profile_end_bitmap __llvm_profile_get_name_size
            __llvm_profile_get_num_bitmap_bytes __llvm_profile_set_timestamp
        }
        #[cfg(since = "10")]
        {
            __llvm_profile_begin_covinit __llvm_profile_begin_vtables __llvm_profile_begin_vtabnames
            __llvm_profile_disable_continuous_mode __llvm_profile_end_covinit __llvm_profile_end_vtables
            __llvm_profile_end_vtabnames __llvm_profile_get_num_vtable __llvm_profile_get_vtable_section_size
        }
    }
}

group! {
    /// What LLVM links for calls of files and for its constructor.
    ///
    /// GNU ld and gold look into an archive once. Where the only value sites are in libraries behind ours, they would take LLVM's calls from
    /// the compiler's own archive, whose values we do not know, and lose them without a word. LLVM's file with these calls has
    /// `__llvm_profile_set_num_value_sites` too, and two are an error.
    profrt_file_calls {
        {
            profrt_buffer_calls
            __llvm_get_function_addr __llvm_profile_check_compatibility __llvm_profile_dump __llvm_profile_get_dir_mode
            __llvm_profile_get_filename __llvm_profile_get_path_prefix __llvm_profile_initialize
            __llvm_profile_initialize_file __llvm_profile_iterate_data __llvm_profile_merge_from_buffer
            __llvm_profile_recursive_mkdir __llvm_profile_register_write_file_atexit __llvm_profile_set_dir_mode
            __llvm_profile_set_file_object __llvm_profile_set_filename __llvm_profile_set_num_value_sites
            __llvm_profile_write_file
        }
        #[cfg(not(since = "11"))]
        { __llvm_orderfile_dump __llvm_orderfile_write_file }
        // Not by its own name, which is visible: a reference to it would be satisfied by a shared object that exports it.
        #[cfg(since = "10")]
        { profrt_brings_write_custom_profile }
    }
}
