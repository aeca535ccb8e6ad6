import { visibleJson, visibleText } from './visible-text.js'

const styles = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

/** Functions that colour a text, or return it unchanged if colours are off. */
export type Paint = { readonly [K in keyof typeof styles]: (text: string) => string }

export function painter(isOn: boolean): Paint {
  const paint = (style: keyof typeof styles) => (text: string) =>
    isOn ? `\u001b[${styles[style][0]}m${text}\u001b[${styles[style][1]}m` : text
  const [bold, dim, red] = [paint('bold'), paint('dim'), paint('red')]
  return { bold, dim, red, green: paint('green'), yellow: paint('yellow'), cyan: paint('cyan') }
}

export type Terminal = ReturnType<typeof openTerminal>

/** The output of a command: results go to stdout, everything else to stderr. */
export function openTerminal(options: { readonly [name: string]: unknown }, env: NodeJS.ProcessEnv) {
  const { stdin, stdout, stderr } = process
  const json = options.json === true
  const quiet = options.quiet === true
  const colors = options.color !== false && !env.NO_COLOR && env.TERM !== 'dumb'
  const errors = painter(colors && stderr.isTTY === true)
  return {
    json,
    quiet,
    /** Can a user at this terminal answer prompts? */
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    /** The width of stdout, if it is a terminal. */
    width: stdout.isTTY ? stdout.columns || undefined : undefined,
    paint: painter(colors && stdout.isTTY === true),
    print: (text: string): void => void stdout.write(`${text}\n`),
    printJson: (value: unknown): void => void stdout.write(`${visibleJson(value)}\n`),
    /** Prints a message for the user, unless quiet. */
    say: (text: string): void => void (quiet || stderr.write(`${text}\n`)),
    /** Prints an error; with --debug, its stack too. */
    fail(message: string, thrown?: unknown): void {
      stderr.write(`${errors.red('toolwire:')} ${visibleText(message)}\n`)
      if (options.debug === true && thrown instanceof Error) stderr.write(`${visibleText(thrown.stack ?? '')}\n`)
    },
  }
}
