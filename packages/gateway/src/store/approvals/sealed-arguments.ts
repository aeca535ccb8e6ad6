// Arguments of calls that wait for approval: sealed on disk while they wait, and only in memory afterwards.
import type { PendingApproval } from 'toolwire/guard'
import { approvals, yieldWhenBusy } from 'toolwire/relay'
import type { Sealer } from '../secrets/seal.js'

/** The arguments of a call, as they will be sent and as they are shown. */
type CallArguments = Pick<PendingApproval, 'arguments' | 'display'>

type WrittenArguments = Pick<CallArguments, 'arguments'> & Partial<CallArguments>

export type SealedArguments = ReturnType<typeof sealedArguments>

/** Arguments stay in memory, so that a person who decides also sees earlier requests. */
const mostRemembered = 1_000
const mostCharacters = 4 * 1_024 * 1_024
/** A longer display is written again from the arguments, because it may be several times as long as they are. */
const longestStoredDisplay = 65_536

export function sealedArguments({ seal, open }: Sealer) {
  const remembered = new Map<string, string>()
  let characters = 0

  function forget(id: string): void {
    characters -= remembered.get(id)?.length ?? 0
    remembered.delete(id)
  }

  function remember(id: string, text: string): void {
    if (text.length > mostCharacters) return
    forget(id)
    remembered.set(id, text)
    characters += text.length
    for (const old of remembered.keys()) {
      if (remembered.size <= mostRemembered && characters <= mostCharacters) return
      forget(old)
    }
  }

  function opened(id: string, sealed: Uint8Array): string | undefined {
    try {
      return open(sealed, placeOf(id))
    } catch {
      return undefined // the caller handles unreadable arguments
    }
  }

  return {
    /** Returns the sealed text for the disk, and remembers the arguments here. */
    seal(id: string, { arguments: args, display }: CallArguments): Uint8Array {
      const text = JSON.stringify({ arguments: args, ...(display.length <= longestStoredDisplay && { display }) })
      remember(id, text)
      return seal(text, placeOf(id))
    },
    /** Returns undefined if the arguments were removed and are not remembered. */
    async of(id: string, sealed: Uint8Array | undefined): Promise<CallArguments | typeof unreadable | undefined> {
      const text = remembered.get(id) ?? (sealed && opened(id, sealed))
      if (text === undefined) return sealed && unreadable
      if (sealed && !remembered.has(id)) remember(id, text)
      const rest = yieldWhenBusy()
      await rest()
      const said = JSON.parse(text) as WrittenArguments // as `seal` has written it
      await rest()
      return { arguments: said.arguments, display: said.display ?? (await approvals.displayOf(said.arguments)) }
    },
    /** True if the arguments were sealed with this key and for this request. */
    opens: (id: string, sealed: Uint8Array): boolean => opened(id, sealed) !== undefined,
  }
}

const placeOf = (id: string) => ({ server: 'approvals', principal: id, name: 'arguments' })

const unreadable = {
  arguments: {},
  display:
    'The arguments of this call cannot be read, because they were changed on the disk. Deny the call; the caller can call again.',
  isUnreadable: true,
} as const
