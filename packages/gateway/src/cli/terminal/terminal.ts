import { visibleJson, visibleText } from './visible-text.js'

const styles = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

/** Colours, where they are wanted. */
export type Paint = { readonly [K in keyof typeof styles]: (text: string) => string }

export function painter(isOn: boolean): Paint {
  const paint = (style: keyof typeof styles) => (text: string) =>
    isOn ? `\u001b[${styles[style][0]}m${text}\u001b[${styles[style][1]}m` : text
  const [bold, dim, red] = [paint('bold'), paint('dim'), paint('red')]
  return { bold, dim, red, green: paint('green'), yellow: paint('yellow'), cyan: paint('cyan') }
}

export type Terminal = ReturnType<typeof openTerminal>

/** Where words go: what was asked for to stdout, everything else to stderr. */
export function openTerminal(options: { readonly [name: string]: unknown }, env: NodeJS.ProcessEnv) {
  const { stdin, stdout, stderr } = process
  const json = options.json === true
  const quiet = options.quiet === true
  const colors = options.color !== false && !env.NO_COLOR && env.TERM !== 'dumb'
  const errors = painter(colors && stderr.isTTY === true)
  return {
    json,
    quiet,
    /** Somebody sits there who can be asked. */
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    /** How wide stdout is, where it is a terminal. */
    width: stdout.isTTY ? stdout.columns || undefined : undefined,
    paint: painter(colors && stdout.isTTY === true),
    print: (text: string): void => void stdout.write(`${text}\n`),
    /** A value on stdout, as JSON. */
    printJson: (value: unknown): void => void stdout.write(`${visibleJson(value)}\n`),
    /** For the person who looks on; not when they want quiet. */
    say: (text: string): void => void (quiet || stderr.write(`${text}\n`)),
    /** What went wrong; the rest of it only for those who want to know. */
    fail(message: string, thrown?: unknown): void {
      stderr.write(`${errors.red('toolwire:')} ${visibleText(message)}\n`)
      if (options.debug === true && thrown instanceof Error) stderr.write(`${visibleText(thrown.stack ?? '')}\n`)
    },
  }
}
