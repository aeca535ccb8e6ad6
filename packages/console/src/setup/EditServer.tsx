import { useEffect, useState } from 'preact/hooks'
import { parseJson } from '../../../toolwire/src/json/parse.js'
import { isObject } from '../../../toolwire/src/json/value.js'
import { getJson, pathSegment } from '../api/api.js'
import type { EditableServer, JsonObject } from '../api/types.js'
import { Button } from '../parts/Button.js'
import { Dialog } from '../parts/Dialog.js'
import { Loading } from '../parts/Empty.js'
import { errorText } from '../parts/Problem.js'
import { toast } from '../parts/Toast.js'
import { ChangePlan } from './ChangePlan.js'
import { ServerFields } from './ServerFields.js'
import { emptyServerForm, type ServerForm, serverEntryOf, serverFormErrors, serverFormOf } from './server-form.js'
import { type ServerChange, usePlan } from './use-plan.js'

type Props = {
  /** The one that is changed; a new one where none is. */
  readonly id?: string
  readonly onClose: () => void
  readonly onDone: () => void
}

/** A server is written down, looked at as it would run, and added or changed. */
export function EditServer({ id, onClose, onDone }: Props) {
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

  function next(): void {
    setShowWrong(true)
    setProblem(undefined)
    const change = changeOf({ id, form, raw, before })
    if (typeof change === 'string') setProblem(change)
    else if (change) void look(change)
  }

  const wrong = showWrong && form ? serverFormErrors(form) : {}
  const actions = plan ? (
    <>
      <Button onClick={back}>Back</Button>
      <Button variant="primary" busy={isBusy} onClick={() => void confirm()}>
        {plan.target?.kind === 'child' ? 'Save, and run this program' : 'Save, and connect'}
      </Button>
    </>
  ) : (
    <Button variant="primary" busy={isBusy} disabled={!form && raw === undefined} onClick={next}>
      Review the change …
    </Button>
  )
  return (
    <Dialog title={id === undefined ? 'Add a server' : `Change ${id}`} onClose={onClose} actions={actions} wide>
      {(problem ?? trouble) !== undefined && (
        <p class="plan-trouble" role="alert">
          {problem ?? trouble}
        </p>
      )}
      {plan ? (
        <ChangePlan plan={plan} />
      ) : form ? (
        <ServerFields form={form} wrong={wrong} isNew={id === undefined} onForm={setForm} />
      ) : raw !== undefined ? (
        <textarea
          class="mono"
          aria-label="The entry, as JSON"
          rows={14}
          spellcheck={false}
          value={raw}
          onInput={({ currentTarget }) => setRaw(currentTarget.value)}
        />
      ) : (
        problem === undefined && <Loading what="the server" />
      )}
    </Dialog>
  )
}

type Written = Pick<Props, 'id'> & {
  readonly form: ServerForm | undefined
  readonly raw: string | undefined
  readonly before: JsonObject
}

/** What is wrong with it, in words; undefined where the fields say so. */
function changeOf({ id, form, raw, before }: Written): ServerChange | string | undefined {
  if (form && Object.keys(serverFormErrors(form)).length > 0) return undefined
  const entry = form ? serverEntryOf(form, before) : parsed(raw ?? '')
  if (!entry) return 'This is not a JSON object'
  return id === undefined ? { what: 'add', name: form?.name.trim() ?? '', entry } : { what: 'change', id, entry }
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined // the form reports it
  }
}
