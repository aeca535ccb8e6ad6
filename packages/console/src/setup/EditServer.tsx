import { useEffect, useState } from 'preact/hooks'
import { getJson, pathSegment } from '../api/api.js'
import type { EditableServer, JsonObject } from '../api/types.js'
import { Button } from '../parts/Button.js'
import { errorText } from '../parts/Problem.js'
import { toast } from '../parts/Toast.js'
import { PlanDialog } from './PlanDialog.js'
import { ServerFields } from './ServerFields.js'
import { emptyServerForm, entryIn, type ServerForm, serverEntryOf, serverFormErrors, serverFormOf } from './server-form.js'
import { type ServerChange, usePlan } from './use-plan.js'

type Props = { readonly onClose: () => void; readonly onDone: () => void }

/** Adds or changes a server in two steps, with a preview before it is saved. Without an id the server is new. */
export function EditServer({ id, onClose, onDone }: Props & { readonly id?: string }) {
  const [form, setForm] = useState<ServerForm | undefined>(id === undefined ? emptyServerForm : undefined)
  const [before, setBefore] = useState<JsonObject>({})
  const [raw, setRaw] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [showWrong, setShowWrong] = useState(false)
  const { plan, trouble, isBusy, look, back, confirm } = usePlan(() => {
    toast(id === undefined ? 'The server was added. It is starting.' : `${id} was changed. It is restarting.`)
    onDone()
    onClose()
  })
  useEffect(() => {
    if (id === undefined) return
    getJson<EditableServer>(`/servers/${pathSegment(id)}/entry`).then(
      ({ name, entry }) => {
        setBefore(entry)
        const read = serverFormOf(name, entry)
        if (read) setForm(read)
        else setRaw(JSON.stringify(entry, undefined, 2))
      },
      (thrown: unknown) => setProblem(errorText(thrown)),
    )
  }, [id])

  const wrong = form ? serverFormErrors(form) : {}
  function next(): void {
    setShowWrong(true)
    const entry = form ? serverEntryOf(form, before) : entryIn(raw ?? '')
    setProblem(entry ? undefined : 'This is not a JSON object')
    if (!entry || Object.keys(wrong).length > 0) return
    const change: ServerChange =
      id === undefined ? { what: 'add', name: form?.name.trim() ?? '', entry } : { what: 'change', id, entry }
    void look(change)
  }

  const actions = plan ? (
    <>
      <Button onClick={back}>Back</Button>
      <Button variant="primary" busy={isBusy} onClick={confirm}>
        {plan.target?.kind === 'child' ? 'Save, and run this program' : 'Save, and connect'}
      </Button>
    </>
  ) : (
    <Button variant="primary" busy={isBusy} disabled={!form && raw === undefined} onClick={next}>
      Review the change …
    </Button>
  )
  const written = form ? (
    <ServerFields form={form} wrong={showWrong ? wrong : {}} isNew={id === undefined} onForm={setForm} />
  ) : raw === undefined ? undefined : (
    <textarea
      class="mono"
      aria-label="The entry, as JSON"
      rows={14}
      spellcheck={false}
      value={raw}
      onInput={({ currentTarget }) => setRaw(currentTarget.value)}
    />
  )
  const title = id === undefined ? 'Add a server' : `Change ${id}`
  return <PlanDialog {...{ title, onClose, actions, plan }} trouble={problem ?? trouble} what="the server" before={written} />
}

export function RemoveServer({ id, onClose, onDone }: Props & { readonly id: string }) {
  const { plan, trouble, isBusy, look, confirm } = usePlan(() => {
    toast(`${id} was removed from the config.`)
    onDone()
  })
  useEffect(() => void look({ what: 'remove', id }), [id])
  const actions = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button variant="danger" busy={isBusy} disabled={!plan} onClick={confirm}>
        Remove the server
      </Button>
    </>
  )
  const lead = 'Its tools are no longer offered, and its running calls end.'
  return <PlanDialog title={`Remove ${id}?`} {...{ onClose, actions, plan, trouble, lead }} what="the changes" />
}
