import { useState } from 'preact/hooks'
import { postJson } from '../api/api.js'
import { gatewayNow } from '../api/gateway-clock.js'
import type { ApiKey } from '../api/types.js'
import { gatewayStatus } from '../page/status/gateway-status.js'
import { Button } from '../parts/Button.js'
import { CopyButton } from '../parts/CopyButton.js'
import { Dialog } from '../parts/Dialog.js'
import { InputField, SelectField } from '../parts/Field.js'
import { errorText } from '../parts/Problem.js'
import { Text } from '../parts/text/Text.js'

const dayMs = 86_400_000
const spans = [
  [0, 'never'],
  [1, 'tomorrow'],
  [30, 'in 30 days'],
  [365, 'in a year'],
] as const

type NewKey = ApiKey & { readonly key: string }

export function scopeText(scope: string): string {
  if (scope === '*') return 'everything'
  if (scope === 'toolwire:admin') return 'managing the gateway'
  return scope.startsWith('toolwire:set:') ? `the toolset ${scope.slice('toolwire:set:'.length)}` : scope
}

/** Creates an API key. The key is shown only once, because the gateway does not keep enough of it. */
export function CreateKey({ onClose, onMade }: { readonly onClose: () => void; readonly onMade: () => void }) {
  const [caller, setCaller] = useState('')
  const [scope, setScope] = useState('')
  const [days, setDays] = useState<(typeof spans)[number][0]>(0)
  const [made, setMade] = useState<NewKey>()
  const [wrong, setWrong] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  async function make(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy) return
    if (caller.trim() === '') return setWrong('Enter the name of the caller.')
    setBusy(true)
    const expiry = days === 0 ? {} : { expiresAt: gatewayNow() + days * dayMs }
    try {
      setMade(await postJson<NewKey>('/keys', { caller: caller.trim(), scopes: scope === '' ? [] : [scope], ...expiry }))
      onMade()
    } catch (thrown) {
      setWrong(errorText(thrown))
    }
    setBusy(false)
  }
  if (made) return <MadeKey of={made} onClose={onClose} />
  const actions = (
    <Button variant="primary" busy={isBusy} onClick={make}>
      Create the key
    </Button>
  )
  return (
    <Dialog title="Create a key" onClose={onClose} actions={actions}>
      <form class="server-fields stack far" onSubmit={make}>
        <InputField
          label="Caller"
          hint="The name of the caller in rules and the audit log"
          error={wrong}
          autocomplete="off"
          maxLength={200}
          value={caller}
          onText={setCaller}
        />
        <SelectField
          label="Scope"
          hint="Rules and limits always apply"
          value={scope}
          choices={scopeChoices()}
          onChange={setScope}
        />
        <SelectField label="Expires" value={days} choices={spans} onChange={setDays} />
      </form>
    </Dialog>
  )
}

function scopeChoices(): readonly (readonly [string, string])[] {
  const sets = gatewayStatus.value?.config.sets
  const scopes = typeof sets === 'object' && sets !== null ? Object.keys(sets).map((set) => `toolwire:set:${set}`) : []
  return [
    ['', 'calls, within the rules'],
    ...scopes.map((scope) => [scope, `calls to ${scopeText(scope)} only`] as const),
    ['toolwire:admin', 'managing the gateway, from anywhere'],
  ]
}

function MadeKey({ of: { key, caller = '' }, onClose }: { readonly of: NewKey; readonly onClose: () => void }) {
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
      <div class="made-key sunken">
        <code>{key}</code>
        <CopyButton text={key} />
      </div>
    </Dialog>
  )
}
