//! Errors of the library as JavaScript errors.

use std::cell::RefCell;

use js_sys::{BigInt, Function, Object, Reflect};
use phoca::{Error, ErrorDetail, ErrorDetails};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// What a method of this crate returns: an error is thrown.
pub type Result<T> = core::result::Result<T, Thrown>;

thread_local! {
    static FACTORY: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Sets the function `(kind: string, message: string, fields: object) => Error` that makes the errors that are thrown. Without
/// one, they are plain errors.
#[wasm_bindgen(js_name = setErrorFactory)]
pub fn set_error_factory(factory: Function) {
    FACTORY.with(|slot| *slot.borrow_mut() = Some(factory));
}

/// A value to throw.
pub struct Thrown(JsValue);

impl Thrown {
    /// An error of this crate's own: an argument that JavaScript allows and Rust's types do not.
    pub fn argument(message: &str, argument: &'static str) -> Self {
        Self::new(message, ("Argument", vec![("argument", argument.into())]))
    }

    /// A stream that is no file.
    pub fn stream(message: &str) -> Self {
        Self::new(message, ("File", vec![("cause", "Stream".into())]))
    }

    /// Memory that the module cannot have.
    pub fn out_of_memory(bytes: u64) -> Self {
        let message = format!(
            "{bytes} bytes of memory are not available: WebAssembly has 4 GiB at most; free objects that are no longer needed, \
             or use smaller parameters or fewer keys"
        );
        Self::new(&message, ("OutOfMemory", vec![("bytes", bytes.into())]))
    }

    fn new(message: &str, (kind, details): ErrorDetails) -> Self {
        let fields = Object::new();
        for (name, detail) in details {
            // A fresh object takes every property.
            let _ = Reflect::set(&fields, &camel_case(name).into(), &to_js(detail));
        }
        let made = FACTORY.with(|slot| {
            let factory = slot.borrow();
            factory.as_ref()?.call3(&JsValue::UNDEFINED, &kind.into(), &message.into(), &fields).ok()
        });
        Self(made.unwrap_or_else(|| js_sys::Error::new(message).into()))
    }
}

impl From<Error> for Thrown {
    fn from(error: Error) -> Self {
        Self::new(&error.to_string(), error.details())
    }
}

impl From<phoca::seal::FileError> for Thrown {
    fn from(error: phoca::seal::FileError) -> Self {
        Error::from(error).into()
    }
}

impl From<Thrown> for JsValue {
    fn from(thrown: Thrown) -> Self {
        thrown.0
    }
}

/// Integers that doubles hold exactly are numbers, others are of type bigint.
fn to_js(detail: ErrorDetail) -> JsValue {
    const EXACT: i128 = 1 << 53;
    match detail {
        ErrorDetail::Integer(value) if (-EXACT..=EXACT).contains(&value) => (value as f64).into(),
        ErrorDetail::Integer(value) => BigInt::from(value).into(),
        ErrorDetail::Real(value) => value.into(),
        ErrorDetail::Text(text) => text.into(),
        other => format!("{other:?}").into(),
    }
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default();
    words.fold(first.to_string(), |mut text, word| {
        let mut letters = word.chars();
        text.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        text + letters.as_str()
    })
}
