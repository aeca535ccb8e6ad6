// Batch files are run by cmd.exe, which reads the whole line twice: once when it is given to it, and again when the batch file
// passes its arguments on with %*. Whatever means something to it is escaped for both readings, the quotes included.

const special = /[()[\]{}%!^"'`<>&|;,=*?\s~+@]/g

const escaped = (text: string): string => text.replace(special, '^$&')

/** An argument in quotes, as the start-up code of most Windows programs takes lines apart. */
export function quoteArgument(argument: string): string {
  // Backslashes are themselves, except before a quote: there each must be doubled.
  const inside = argument.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')
  return `"${inside}"`
}

/** What follows `cmd.exe /d /s /c`: the batch file and its arguments. */
export function batchLine(file: string, args: readonly string[]): string {
  if ([file, ...args].some((text) => /[\0\r\n]/.test(text))) throw new TypeError('A batch file cannot be given line breaks')
  return `"${[escaped(file), ...args.map((argument) => escaped(escaped(quoteArgument(argument))))].join(' ')}"`
}
