import { createHash } from 'node:crypto'
import { visible } from '../../../../text/visible.js'

/** A server that is started as a process of its own. */
export type Command = {
  readonly command: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Which variables of this process the child inherits besides the safe few. */
  readonly inherit?: readonly string[]
  /** Waited for each time before the command is started; it is not where this throws. */
  readonly beforeStart?: () => void | Promise<void>
  /** Called with what the child prints on stderr. */
  readonly onStderr?: (text: string) => void
}

const longestName = 120

/** The command as a person would type it, as far as it fits. */
export function commandName({ command, args = [] }: Command): string {
  const name = visible([command, ...args].join(' '))
  return name.length > longestName ? `${name.slice(0, longestName)}…` : name
}

/** The same for the same program. Arguments may hold secrets, and keys are kept in places; hence the hash. */
export function commandKey({ command, args = [], cwd = '' }: Command): string {
  const hash = createHash('sha256').update(JSON.stringify([command, args, cwd]))
  return `child:${hash.digest('base64url')}`
}
