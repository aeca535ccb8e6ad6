import { useState } from 'preact/hooks'
import { postJson } from '../api/api.js'
import type { ApiKey } from '../api/types.js'
import { gatewayStatus } from '../page/status/gateway-status.js'
import { Button } from '../parts/Button.js'
import { Dialog } from '../parts/Dialog.js'
import { Field } from '../parts/Field.js'
import { errorText } from '../parts/Problem.js'
import { Text } from '../parts/text/Text.js'
import { scopeText } from './scopes.js'

const dayMs = 86_400_000
const spans = [
  ['', 'never'],
  ['1', 'tomorrow'],
  ['30', 'in 30 days'],
  ['365', 'in a year'],
] as const

/** A key for a caller. It is shown this once: what is kept of it is too little to use it. */
export function CreateKey({ onClose, onMade }: { readonly onClose: () => void; readonly onMade: () => void }) {
  const [caller, setCaller] = useState('')
  const [scope, setScope] = useState('')
  const [days, setDays] = useState('')
  const [made, setMade] = useState<ApiKey & { readonly key: string }>()
  const [wrong, setWrong] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  async function make(event?: Event): Promise<void> {
    event?.preventDefault()
    if (caller.trim() === '') return setWrong('Enter the name of the caller.')
    setBusy(true)
    const expiresAt = days === '' ? {} : { expiresAt: Date.now() + Number(days) * dayMs }
    const wanted = { caller: caller.trim(), scopes: scope === '' ? [] : [scope], ...expiresAt }
    await postJson<ApiKey & { readonly key: string }>('/keys', wanted).then(
      (key) => {
        setMade(key)
        onMade()
      },
      (thrown: unknown) => setWrong(errorText(thrown)),
    )
    setBusy(false)
  }
  if (made) return <MadeKey of={made} onClose={onClose} />
  const actions = (
    <Button variant="primary" busy={isBusy} onClick={() => void make()}>
      Create the key
    </Button>
  )
  return (
    <Dialog title="Create a key" onClose={onClose} actions={actions}>
      <form class="server-fields" onSubmit={(event) => void make(event)}>
        <Field label="Caller" hint="The name of the caller in rules and the audit log" error={wrong}>
          {(control) => (
            <input
              {...control}
              autocomplete="off"
              maxLength={200}
              value={caller}
              onInput={({ currentTarget }) => setCaller(currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Scope" hint="Rules and limits always apply">
          {(control) => (
            <select {...control} value={scope} onChange={({ currentTarget }) => setScope(currentTarget.value)}>
              <option value="">calls, within the rules</option>
              {setsIn().map((set) => (
                <option key={set} value={`toolwire:set:${set}`}>
                  calls to {scopeText(`toolwire:set:${set}`)} only
                </option>
              ))}
              <option value="toolwire:admin">managing the gateway, from anywhere</option>
            </select>
          )}
        </Field>
        <Field label="Expires">
          {(control) => (
            <select {...control} value={days} onChange={({ currentTarget }) => setDays(currentTarget.value)}>
              {spans.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
      </form>
    </Dialog>
  )
}

function setsIn(): readonly string[] {
  const sets = gatewayStatus.value?.config.sets
  return typeof sets === 'object' && sets !== null ? Object.keys(sets) : []
}

function MadeKey({
  of: { key, caller = '' },
  onClose,
}: {
  readonly of: ApiKey & { readonly key: string }
  readonly onClose: () => void
}) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(key)
    setCopied(true)
  }
  const actions = (
    <Button variant="primary" onClick={onClose}>
      Done
    </Button>
  )
  return (
    <Dialog title="New key" onClose={onClose} actions={actions}>
      <p>
        <strong>This key is shown only once.</strong> Give it to <Text of={caller} />, who sends it as{' '}
        <code>Authorization: Bearer …</code>
      </p>
      <div class="made-key">
        <code>{key}</code>
        <Button small icon={isCopied ? 'check' : 'copy'} onClick={() => void copy()}>
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
      </div>
    </Dialog>
  )
}
