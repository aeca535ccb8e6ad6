import { useState } from 'preact/hooks'
import { del, get, part } from '../api/api.js'
import { useLoaded } from '../api/loaded.js'
import type { Key, Keys } from '../api/types.js'
import { Badge } from '../parts/Badge.js'
import { Button } from '../parts/Button.js'
import { now } from '../parts/clock.js'
import { Dialog } from '../parts/Dialog.js'
import { Empty, Loading } from '../parts/Empty.js'
import { markedText } from '../parts/hidden-characters.js'
import { isFound, ListTools } from '../parts/ListTools.js'
import { type Column, Rows } from '../parts/Rows.js'
import { Text } from '../parts/Text.js'
import { Time } from '../parts/Time.js'
import { toast } from '../parts/Toast.js'
import { Trouble, wordsOf } from '../parts/Trouble.js'
import { MakeKey } from './MakeKey.js'
import { scopeWords } from './scopes.js'

/** The keys that were handed out: who holds one, what it is good for, until when, and a way to take it back. */
export function ApiKeys() {
  const { value, trouble, reload } = useLoaded((signal) => get<Keys>('/keys', {}, signal), [])
  const [text, setText] = useState('')
  const [isMaking, setMaking] = useState(false)
  const [revoking, setRevoking] = useState<Key>()
  if (!value)
    return trouble ? (
      <Trouble title="The keys could not be loaded" error={trouble} onRetry={reload} />
    ) : (
      <Loading what="the keys" />
    )
  const shown = value.keys.filter(({ id, caller = '', scopes }) =>
    isFound(text, id, caller, ...scopes, ...scopes.map(scopeWords)),
  )
  return (
    <section class="card setup-list" aria-label="API keys">
      <ListTools label="Caller, id or what it is good for" text={text} onText={setText}>
        <Button variant="primary" onClick={() => setMaking(true)}>
          Make a key …
        </Button>
      </ListTools>
      {value.keys.length === 0 ? (
        <Empty icon="person" title="No key has been handed out">
          Programs on this machine may need none. A key lets a caller in from elsewhere, and gives it a name in the audit log.
        </Empty>
      ) : shown.length === 0 ? (
        <Empty icon="search" title="No key matches">
          <Button small onClick={() => setText('')}>
            Show all keys
          </Button>
        </Empty>
      ) : (
        <Rows label="Keys" class="setup-rows" rows={shown} columns={columnsOf(setRevoking)} keyOf={({ id }) => id} height={44} />
      )}
      {isMaking && <MakeKey onClose={() => setMaking(false)} onMade={reload} />}
      {revoking && <Revoke of={revoking} onClose={() => setRevoking(undefined)} onDone={reload} />}
    </section>
  )
}

const columnsOf = (onRevoke: (key: Key) => void): readonly Column<Key>[] => [
  { title: 'Caller', width: '2fr', cell: ({ caller = '' }) => <Text of={caller} line /> },
  {
    title: 'Good for',
    width: '3fr',
    cell: ({ scopes }) => <Text of={scopes.length === 0 ? 'calls' : scopes.map(scopeWords).join(', ')} line />,
  },
  { title: 'Expires', width: '12.5rem', wideOnly: true, cell: ({ expiresAt }) => <Until at={expiresAt} /> },
  { title: 'Id', width: '9rem', wideOnly: true, cell: ({ id }) => <Text of={id} mono line class="muted" /> },
  {
    title: 'Act',
    width: '6.5rem',
    narrow: '5.5rem',
    cell: (key) => (
      <Button small aria-label={`Revoke the key of ${markedText(key.caller ?? key.id)}`} onClick={() => onRevoke(key)}>
        Revoke …
      </Button>
    ),
  },
]

function Until({ at }: { readonly at: number | undefined }) {
  if (at === undefined) return <span class="muted">never expires</span>
  return at <= now.value ? <Badge>over</Badge> : <Time at={at} />
}

type RevokeProps = { readonly of: Key; readonly onClose: () => void; readonly onDone: () => void }

function Revoke({ of: { id, caller = '' }, onClose, onDone }: RevokeProps) {
  const [isBusy, setBusy] = useState(false)
  async function revoke(): Promise<void> {
    setBusy(true)
    await del(`/keys/${part(id)}`).then(
      () => toast(`The key of ${caller} is revoked.`),
      (thrown: unknown) => toast(wordsOf(thrown), 'danger'),
    )
    onDone()
    onClose()
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="danger" busy={isBusy} onClick={() => void revoke()}>
        Revoke the key
      </Button>
    </>
  )
  return (
    <Dialog title="Revoke this key?" onClose={onClose} actions={actions}>
      <p>
        Whoever calls with the key of <Text of={caller} /> (<Text of={id} mono />) is refused from now on. This cannot be undone.
      </p>
    </Dialog>
  )
}
