/** What the parser of the command line says, as one line that says who speaks and where to look. */
export function usageError(text: string): string {
  const plain = text
    .replace(/^error: /, '')
    .trim()
    .replaceAll('\n', ' ')
  return `toolwire: ${plain}; see toolwire --help\n`
}
