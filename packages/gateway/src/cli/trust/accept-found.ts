// Reviews and accepts a config that was discovered in a working folder: at the terminal, by --trust, or by toolwire trust.
import { type LoadOptions, loadConfig } from '../../config/load-config.js'
import { acceptParts } from '../../config/trust/accepted-parts.js'
import { partName } from '../../config/trust/trust-messages.js'
import type { UntrustedPart } from '../../config/trust/untrusted-parts.js'
import { CommandError } from '../command.js'
import { isConfirmed } from '../forms/prompts.js'
import type { Paint } from '../terminal/terminal.js'
import { visibleTextLine } from '../terminal/visible-text.js'

/** Each round can reveal imports and files that the accepted parts refer to. */
const mostRounds = 20

export type ConfirmTrust = (waiting: readonly UntrustedPart[]) => Promise<boolean>

/**
 * Accepts the waiting parts, as shown, if the user agrees. Accepted parts may bring in more. The variables of an accepted server and the
 * policy of accepted settings are accepted with them; all other parts are asked about again.
 */
export async function acceptFoundConfig(where: LoadOptions, agree: ConfirmTrust): Promise<readonly UntrustedPart[] | undefined> {
  const accepted: UntrustedPart[] = []
  for (let round = 0; ; round++) {
    if (round === mostRounds)
      throw new CommandError('The config changed while it was read. Try again when no program writes to it')
    let parts: readonly UntrustedPart[] = []
    const config = await loadConfig({ ...where, missing: 'keep', onParts: (all) => (parts = all) })
    const waiting = config.trust?.waiting ?? []
    if (!config.trust || waiting.length === 0) return accepted
    const isShown = ({ kind, id, file }: UntrustedPart) => {
      const by = { variables: 'server', policy: 'settings', server: undefined, settings: undefined }[kind]
      return by !== undefined && accepted.some((other) => other.kind === by && other.id === id && other.file === file)
    }
    const unseen = waiting.filter((part) => !isShown(part))
    if (unseen.length > 0 && !(await agree(unseen))) return undefined
    // Missing settings are recorded too, so that settings added later count as a change.
    const files = new Set(waiting.map(({ file }) => file))
    const settings = parts.filter(({ kind, file, lines }) => kind === 'settings' && lines.length === 0 && files.has(file))
    await acceptParts(config.trust.store, [...settings, ...waiting])
    accepted.push(...waiting)
  }
}

export function showParts(waiting: readonly UntrustedPart[], { bold, red }: Paint): string {
  const files = [...new Set(waiting.map(({ file }) => file))]
  const lines = files.flatMap((file) => [
    `In ${visibleTextLine(file)}:`,
    ...waiting
      .filter((part) => part.file === file)
      .flatMap((part) => [
        `  ${bold(visibleTextLine(partName(part)))}`,
        ...part.lines.map((line) => `    ${line.startsWith('! ') ? red(visibleTextLine(line)) : visibleTextLine(line)}`),
      ]),
  ])
  return lines.join('\n')
}

type Asking = { readonly paint: Paint; readonly signal: AbortSignal }

/** Asks at the terminal. The prompt appears even with --quiet. */
export function confirmAtTerminal({ paint, signal }: Asking): ConfirmTrust {
  return async (waiting) => {
    const warning = paint.yellow(
      'This config was found here and is not accepted yet. Its programs would run on this machine with your rights:',
    )
    process.stderr.write(`\n${warning}\n${showParts(waiting, paint)}\n`)
    return isConfirmed('Trust it?', signal)
  }
}
