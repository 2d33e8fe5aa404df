// The library's errors: as node-seal 7 throws C++ exceptions, which are no instances of Error.

/** What a thrown error says: the type that it has in C++, and its text. */
export type CppMessage = [type: string, text: string]

interface Exception {
  message: CppMessage
  getArg(tag: unknown, index: number): unknown
}

interface ExceptionHost {
  Tag?: new (type: { parameters: string[] }) => unknown
  Exception?: new (tag: unknown, payload: unknown[], options: { traceStack: boolean }) => Exception
}

// The declarations of the DOM do not have them yet.
const host = WebAssembly as unknown as ExceptionHost
const tag = host.Tag === undefined ? undefined : new host.Tag({ parameters: ['i32'] })

/** What stands for WebAssembly's exceptions on engines without them. */
const Fallback = { Exception: class {
  declare message: CppMessage
  getArg(_tag: unknown, _index: number): number {
    return 0
  }
} }.Exception as unknown as NonNullable<ExceptionHost['Exception']>

const Exception = host.Exception !== undefined && tag !== undefined ? host.Exception : Fallback

function make(type: string, text: string): Exception {
  const exception = new Exception(tag, [0], { traceStack: true })
  exception.message = [type, text]
  return exception
}

/** The exceptions of the library, by their type in C++. */
export const LibraryErrors = {
  of: ([type, text]: CppMessage): unknown => make(type, text),
  invalidArgument: (text: string): unknown => make('std::invalid_argument', text),
  logic: (text: string): unknown => make('std::logic_error', text),
}

/** The type and the text of an exception. */
export function getExceptionMessage(ex: Exception): CppMessage {
  ex.getArg(tag, 0)
  return [...ex.message]
}
