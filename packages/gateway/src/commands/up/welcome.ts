import { gatewayFlag } from '../../gateway/how-to-decide.js'
import { visibleLine } from '../terminal/hidden.js'
import type { Paint } from '../terminal/paint.js'

type About = {
  readonly url: string
  readonly config: string | null
  readonly servers: readonly string[]
  /** To the console. */
  readonly link: string | undefined
}

/** Where it is, what it serves, and how to go on. */
export function welcome({ url, config, servers, link }: About, { bold, dim }: Paint): string {
  const elsewhere = gatewayFlag(url)
  return [
    '',
    `  ${bold('Toolwire')} listens at ${bold(url)}`,
    `  ${config === null ? 'No config was found: these are examples' : `Config: ${visibleLine(config)}`}`,
    `  Servers: ${servers.map(visibleLine).join(', ') || 'none'}`,
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
