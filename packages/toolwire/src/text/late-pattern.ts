/**
 * A pattern that is read when it is first needed. The engine reads a literal when it reads the file, and a set of Unicode characters takes
 * long enough to delay the start of a server.
 */
export function latePattern(source: string, flags: string): () => RegExp {
  let made: RegExp | undefined
  return () => {
    made ??= new RegExp(source, flags)
    return made
  }
}
