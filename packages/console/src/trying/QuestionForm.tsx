import { useMemo } from 'preact/hooks'
import { Badge } from '../parts/Badge.js'
import { Button } from '../parts/Button.js'
import { Paragraph, Text } from '../parts/text/Text.js'
import { useWork } from '../parts/WorkButton.js'
import { Link } from '../results/Link.js'
import { Arguments } from '../schemas/Arguments.js'
import { formStateFor } from '../schemas/form/form-state.js'
import { SchemaForm } from '../schemas/form/SchemaForm.js'
import { isObject } from '../schemas/json.js'
import { answerQuestion, type ToolTry } from './tool-tries.js'
import type { Question } from './trial.js'

type Props = { one: ToolTry; question: Question; server: string; isOpen: boolean }

type Answer = NonNullable<Question['answer']>

const outcomes = { accept: 'Answered', decline: 'Declined', cancel: 'Put aside' } as const

/** An elicitation: a question of the tool to the user, answered in place. */
export function QuestionForm({ one, question, server, isOpen }: Props) {
  const form = useMemo(() => formStateFor(question.schema ?? {}), [question.id])
  const { isBusy, run } = useWork()
  async function reply(action: Answer): Promise<void> {
    if (action === 'accept' && form.issues.value.size > 0) {
      form.showAll.value = true
      return
    }
    const content = action === 'accept' && question.schema ? { content: form.value.value } : {}
    await run(() => answerQuestion(one, question.id, { action, ...content }))
  }
  return (
    <section class="question notice framed info stack" aria-label="A question of the tool">
      <h4>
        <Text of={server} /> asks {question.answer && <Badge>{outcomes[question.answer]}</Badge>}
      </h4>
      <Paragraph of={question.message} />
      {question.address !== undefined && <Link of={question.address} />}
      {question.warnings.map((words) => (
        <Paragraph class="little warning" key={words} of={words} />
      ))}
      {question.answer === 'accept' && question.schema && (
        <Arguments of={isObject(form.value.value) ? form.value.value : {}} schema={question.schema} />
      )}
      {question.answer === undefined && isOpen && (
        <>
          {question.schema && <SchemaForm form={form} nothing="The question needs only a yes or no." />}
          <p class="little muted">The server reads the answer. Never enter passwords or keys here.</p>
          <div class="call-buttons cluster">
            <Button variant="primary" busy={isBusy} onClick={() => reply('accept')}>
              {question.address === undefined ? 'Answer' : 'I have visited the page'}
            </Button>
            <Button disabled={isBusy} onClick={() => reply('decline')}>
              Decline
            </Button>
            <Button variant="quiet" disabled={isBusy} onClick={() => reply('cancel')}>
              Put aside
            </Button>
          </div>
        </>
      )}
    </section>
  )
}
