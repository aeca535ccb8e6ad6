import { visibleLine } from '../terminal/hidden.js'
import type { Paint } from '../terminal/paint.js'

type About = {
  readonly url: string
  readonly config: string | null
  readonly servers: readonly string[]
  /** What is wrong, or waits to be looked at. */
  readonly troubles: readonly string[]
  /** To the console. */
  readonly link: string | undefined
}

/** Where it is, what it serves, and how to go on. */
export function welcome({ url, config, servers, troubles, link }: About, { bold, dim, yellow }: Paint): string {
  const { origin } = new URL(url)
  const elsewhere = origin === 'http://127.0.0.1:4180' ? '' : ` --gateway ${origin}`
  return [
    '',
    `  ${bold('Toolwire')} listens at ${bold(url)}`,
    `  ${config === null ? 'No config was found: these are examples' : `Config: ${visibleLine(config)}`}`,
    `  Servers: ${servers.map(visibleLine).join(', ') || 'none'}`,
    ...troubles.map((trouble) => yellow(`  Not all is well: ${visibleLine(trouble)}`)),
    ...(link === undefined
      ? []
      : ['', `  ${bold('Console')}, once within five minutes; toolwire console${elsewhere} prints another link:`, `  ${link}`]),
    '',
    `  ${dim('From a second terminal:')}`,
    `  toolwire list${elsewhere}${' '.repeat(16)}what it offers`,
    `  toolwire watch${elsewhere}${' '.repeat(15)}decide about calls that wait for you`,
    `  toolwire connect <host>${elsewhere}${' '.repeat(6)}point Claude, Cursor, VS Code … at it`,
    '',
    `  ${dim('Ctrl-C stops it.')}`,
    '',
  ].join('\n')
}
