import { useRef, useState } from 'preact/hooks'
import { postJson } from '../../api/api.js'
import type { Explanation } from '../../api/types.js'
import { Button } from '../../parts/Button.js'
import { Problem } from '../../parts/Problem.js'
import { Tabs } from '../../parts/Tabs.js'
import { CallFields } from './CallFields.js'
import { RuleExplanation } from './RuleExplanation.js'
import {
  type CallForm,
  callFormOf,
  emptyCallForm,
  pastedText,
  type ReadCall,
  readCallForm,
  readPasted,
  type WrittenCall,
} from './written-call.js'

type Asked = { readonly explanation?: Explanation; readonly error?: unknown }

const ways = [
  { id: 'form', label: 'Fields' },
  { id: 'json', label: 'JSON' },
]

const explained = (call: WrittenCall): Promise<Asked> =>
  postJson<Explanation>('/policy/explain', call).then(
    (explanation) => ({ explanation }),
    (error: unknown) => ({ error }),
  )

/** Explains how the rules decide a call that is entered or pasted. The tool is not called. */
export function ExplainCall() {
  const [way, setWay] = useState<'form' | 'json'>('form')
  const [form, setForm] = useState<CallForm>(emptyCallForm)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const [asked, setAsked] = useState<Asked>({})
  const last = useRef(0)
  const read = (): ReadCall => (way === 'form' ? readCallForm(form) : readPasted(text))

  function turn(to: string): void {
    const { call } = read()
    if (to === 'json' && call) setText(pastedText(call))
    if (to === 'form' && call) setForm(callFormOf(call))
    setProblem(undefined)
    setWay(to === 'json' ? 'json' : 'form')
  }

  async function explain(event: Event): Promise<void> {
    event.preventDefault()
    const { call, problem } = read()
    setProblem(problem)
    const mine = ++last.current
    const answer = call ? await explained(call) : {}
    // An earlier question may be answered later.
    if (mine === last.current) setAsked(answer)
  }

  return (
    <div class="explain">
      <form class="card padded stack start explain-call" onSubmit={explain}>
        <Tabs label="Format of the call" tabs={ways} current={way} onChange={turn}>
          <CallFields way={way} form={form} text={text} onForm={setForm} onText={setText} problem={problem} />
        </Tabs>
        <Button variant="primary" type="submit">
          Explain
        </Button>
      </form>
      <div aria-live="polite">
        {asked.error !== undefined && <Problem title="The call could not be explained" error={asked.error} />}
        {asked.explanation && <RuleExplanation of={asked.explanation} />}
      </div>
    </div>
  )
}
