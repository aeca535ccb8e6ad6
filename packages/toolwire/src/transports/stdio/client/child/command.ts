import { createHash } from 'node:crypto'
import { visible } from '../../../../text/visible.js'

export type Command = {
  readonly command: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Variables of this process that the child inherits besides a few safe ones. */
  readonly inherit?: readonly string[]
  /** Awaited before each start of the command; if it throws, the command is not started. */
  readonly beforeStart?: () => void | Promise<void>
  /** Called with the child's output on stderr. */
  readonly onStderr?: (text: string) => void
}

const longestName = 120

/** The command line for display, shortened if necessary. */
export function commandName({ command, args = [] }: Command): string {
  const name = visible([command, ...args].join(' '))
  return name.length > longestName ? `${name.slice(0, longestName)}…` : name
}

/** The same for the same program. Hashed, because arguments may hold secrets and keys are stored. */
export function commandKey({ command, args = [], cwd = '' }: Command): string {
  const hash = createHash('sha256').update(JSON.stringify([command, args, cwd]))
  return `child:${hash.digest('base64url')}`
}
