// Decoding `%252e` twice gives `.`, so all levels of encoding are collapsed into one here.
const anyLevel = /%(?:25)+/g

/** True if some segment is `..`, whether plain, percent-encoded (at any depth) or after a backslash. */
export function hasDotDotSegment(path: string): boolean {
  const seen = path
    .replace(anyLevel, '%')
    .replace(/%2e/gi, '.')
    .replace(/%2f|%5c|\\/gi, '/')
    .replace(/%(?:00|20)/g, ' ')
  // Some file systems drop trailing blanks and some programs stop at NUL, so `.. ` counts as `..` too.
  return seen.split(/[/?#]/).some((segment) => segment.replace(/\0/g, ' ').trim() === '..')
}
