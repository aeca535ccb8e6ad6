import { type Paint, painter } from './paint.js'
import { visibleJson } from './visible-json.js'
import { visibleText } from './visible-text.js'

/** Where words go: what was asked for to stdout, everything else to stderr. */
export type Terminal = {
  readonly json: boolean
  readonly quiet: boolean
  /** Somebody sits there who can be asked. */
  readonly interactive: boolean
  /** How wide stdout is, where it is a terminal. */
  readonly width: number | undefined
  readonly paint: Paint
  /** stdout. */
  print(text: string): void
  /** A value on stdout, as JSON. */
  printJson(value: unknown): void
  /** For the person who looks on; not when they want quiet. */
  say(text: string): void
  /** What went wrong; the rest of it only for those who want to know. */
  fail(message: string, thrown?: unknown): void
}

export function openTerminal(options: { readonly [name: string]: unknown }, env: NodeJS.ProcessEnv): Terminal {
  const { stdin, stdout, stderr } = process
  const json = options.json === true
  const quiet = options.quiet === true
  const colors = options.color !== false && !env.NO_COLOR && env.TERM !== 'dumb'
  const errors = painter(colors && stderr.isTTY === true)
  return {
    json,
    quiet,
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    width: stdout.isTTY ? stdout.columns || undefined : undefined,
    paint: painter(colors && stdout.isTTY === true),
    print: (text) => void stdout.write(`${text}\n`),
    printJson: (value) => void stdout.write(`${visibleJson(value)}\n`),
    say: (text) => void (quiet || stderr.write(`${text}\n`)),
    fail(message, thrown) {
      stderr.write(`${errors.red('toolwire:')} ${visibleText(message)}\n`)
      if (options.debug === true && thrown instanceof Error) stderr.write(`${visibleText(thrown.stack ?? '')}\n`)
    },
  }
}
