import { useMemo, useState } from 'preact/hooks'
import { Badge } from '../parts/Badge.js'
import { Button } from '../parts/Button.js'
import { errorText } from '../parts/Problem.js'
import { toast } from '../parts/Toast.js'
import { Text } from '../parts/text/Text.js'
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

/** A question of the tool to the person who tries it, answered in its place. */
export function QuestionForm({ one, question, server, isOpen }: Props) {
  const form = useMemo(() => formStateFor(question.schema ?? {}), [question.id])
  const [isSending, setSending] = useState(false)
  async function reply(action: Answer): Promise<void> {
    if (action === 'accept' && form.issues.value.size > 0) {
      form.showAll.value = true
      return
    }
    setSending(true)
    const content = action === 'accept' && question.schema ? { content: form.value.value } : {}
    await answerQuestion(one, question.id, { action, ...content }).catch((thrown: unknown) => toast(errorText(thrown), 'danger'))
    setSending(false)
  }
  return (
    <section class="question" aria-label="A question of the tool">
      <h4>
        <Text of={server} /> asks {question.answer && <Badge>{outcomes[question.answer]}</Badge>}
      </h4>
      <p>
        <Text of={question.message} />
      </p>
      {question.address !== undefined && <Link of={question.address} />}
      {question.warnings.map((words) => (
        <p class="little warning" key={words}>
          <Text of={words} />
        </p>
      ))}
      {question.answer === 'accept' && question.schema && (
        <Arguments of={isObject(form.value.value) ? form.value.value : {}} schema={question.schema} />
      )}
      {question.answer === undefined && isOpen && (
        <>
          {question.schema && <SchemaForm form={form} nothing="It only needs a yes or no." />}
          <p class="little muted">The server reads the answer. Never enter passwords or keys here.</p>
          <AnswerButtons isPage={question.address !== undefined} isSending={isSending} onReply={(how) => void reply(how)} />
        </>
      )}
    </section>
  )
}

type ButtonsProps = { isPage: boolean; isSending: boolean; onReply: (how: Answer) => void }

const AnswerButtons = ({ isPage, isSending, onReply }: ButtonsProps) => (
  <div class="call-buttons">
    <Button variant="primary" busy={isSending} onClick={() => onReply('accept')}>
      {isPage ? 'I have visited the page' : 'Answer'}
    </Button>
    <Button disabled={isSending} onClick={() => onReply('decline')}>
      Decline
    </Button>
    <Button variant="quiet" disabled={isSending} onClick={() => onReply('cancel')}>
      Put aside
    </Button>
  </div>
)
