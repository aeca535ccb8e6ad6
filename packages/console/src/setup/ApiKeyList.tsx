import { useState } from 'preact/hooks'
import { deleteJson, pathSegment } from '../api/api.js'
import type { ApiKey, ApiKeys } from '../api/types.js'
import { useGet } from '../api/use-loaded.js'
import { Badge } from '../parts/Badge.js'
import { Button } from '../parts/Button.js'
import { Dialog } from '../parts/Dialog.js'
import { Empty, LoadState } from '../parts/LoadState.js'
import { toast } from '../parts/Toast.js'
import { ListHeader, matchesWords } from '../parts/table/ListHeader.js'
import { type Column, VirtualTable } from '../parts/table/VirtualTable.js'
import { markedText, Text } from '../parts/text/Text.js'
import { currentTime, Time } from '../parts/time/Time.js'
import { useWork } from '../parts/WorkButton.js'
import { CreateKey, scopeText } from './CreateKey.js'

/** The API keys: caller, scopes and expiry, with buttons to revoke them. */
export function ApiKeyList() {
  const loaded = useGet<ApiKeys>('/keys')
  const [text, setText] = useState('')
  const [isMaking, setMaking] = useState(false)
  const [revoking, setRevoking] = useState<ApiKey>()
  const { value, reload } = loaded
  const loadState = <LoadState of={loaded} what="the keys" />
  if (!value) return loadState
  const shown = value.keys.filter(({ id, caller = '', scopes }) =>
    matchesWords(text, id, caller, ...scopes, ...scopes.map(scopeText)),
  )
  return (
    <section class="card clip" aria-label="API keys">
      <ListHeader label="Caller, id or scope" text={text} onText={setText}>
        <Button variant="primary" class="push" onClick={() => setMaking(true)}>
          Create a key …
        </Button>
      </ListHeader>
      {loadState}
      {value.keys.length === 0 ? (
        <Empty icon="person" title="No API keys yet">
          Programs on this machine may need none. A key admits a remote caller, and gives it a name in the audit log.
        </Empty>
      ) : shown.length === 0 ? (
        <Empty icon="search" title="No key matches">
          <Button small onClick={() => setText('')}>
            Show all keys
          </Button>
        </Empty>
      ) : (
        <VirtualTable
          label="Keys"
          class="setup-rows"
          rows={shown}
          columns={columnsOf(setRevoking)}
          keyOf={({ id }) => id}
          height={44}
        />
      )}
      {isMaking && <CreateKey onClose={() => setMaking(false)} onMade={reload} />}
      {revoking && <Revoke of={revoking} onClose={() => setRevoking(undefined)} onDone={reload} />}
    </section>
  )
}

const columnsOf = (onRevoke: (key: ApiKey) => void): readonly Column<ApiKey>[] => [
  { title: 'Caller', width: '2fr', cell: ({ caller = '' }) => <Text of={caller} line /> },
  {
    title: 'Scopes',
    width: '3fr',
    cell: ({ scopes }) => <Text of={scopes.length === 0 ? 'calls' : scopes.map(scopeText).join(', ')} line />,
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
  return at <= currentTime.value ? <Badge>expired</Badge> : <Time at={at} />
}

type RevokeProps = { readonly of: ApiKey; readonly onClose: () => void; readonly onDone: () => void }

function Revoke({ of: { id, caller = '' }, onClose, onDone }: RevokeProps) {
  const { isBusy, run } = useWork()
  async function revoke(): Promise<void> {
    await run(() => deleteJson(`/keys/${pathSegment(id)}`).then(() => toast(`The key of ${caller} is revoked.`)))
    onDone()
    onClose()
  }
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="danger" busy={isBusy} onClick={revoke}>
        Revoke the key
      </Button>
    </>
  )
  return (
    <Dialog title="Revoke this key?" onClose={onClose} actions={actions}>
      <p>
        The gateway will refuse calls with the key of <Text of={caller} /> (<Text of={id} mono />
        ). This cannot be undone.
      </p>
    </Dialog>
  )
}
