import type { Tool } from '../api/types.js'
import { href } from '../page/route.js'
import { Badge } from '../parts/Badge.js'
import { Icon } from '../parts/Icon.js'
import { Text } from '../parts/text/Text.js'
import { formatDuration } from '../parts/time/format-time.js'
import { Elapsed } from '../parts/time/Time.js'
import { ToolResult } from '../results/ToolResult.js'
import { QuestionForm } from './QuestionForm.js'
import type { ToolTry } from './tool-tries.js'
import type { Trial } from './trial.js'

export function TrialOutcome({ one, tool }: { one: ToolTry; tool: Tool }) {
  const trial = one.trial.value
  return (
    <section class="what-came stack far" aria-label="Outcome" aria-busy={trial.state === 'running'}>
      {trial.state !== 'idle' && <Standing of={trial} />}
      {trial.questions.map((question) => (
        <QuestionForm key={question.id} one={one} question={question} server={tool.server} isOpen={trial.state === 'running'} />
      ))}
      {trial.why !== undefined && (
        <p class="notice danger cluster">
          <Icon name="warning" /> <Text of={trial.why} />
        </p>
      )}
      {trial.result && <ToolResult of={trial.result} />}
    </section>
  )
}

const standings = {
  idle: ['Not called yet', 'neutral'],
  running: ['Running', 'info'],
  done: ['Answered', 'ok'],
  refused: ['Refused', 'warning'],
  lost: ['The outcome is unknown', 'warning'],
} as const

function Standing({ of }: { of: Trial }) {
  const { state, call, startedAt, endedAt, progress, said, waiting, result } = of
  const [words, tone] = result?.isError === true ? (['Failed', 'danger'] as const) : standings[state]
  return (
    <div class="standing stack near">
      <h3 class="cluster">
        Result{' '}
        <span role="status">
          <Badge tone={tone}>{words}</Badge>
        </span>
        <span class="muted little">
          {endedAt === undefined ? <Elapsed since={startedAt} /> : formatDuration(endedAt - startedAt)}
          {call !== undefined && ` · call ${call}`}
        </span>
      </h3>
      {waiting !== undefined && (
        <p>
          It is pending. Another person, or you in a terminal, can decide it.{' '}
          <a href={href(['approvals', waiting])}>Show the pending call</a>
        </p>
      )}
      {state === 'running' && waiting === undefined && <Progress of={progress} />}
      {said.length > 0 && (
        <ol class="said muted little">
          {said.slice(-6).map((words, at) => (
            <li key={at}>
              <Text of={words} />
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

function Progress({ of }: { of: Trial['progress'] }) {
  if (!of?.total) return <progress aria-label="Under way" />
  return (
    <p class="try-progress">
      <progress aria-label="Progress" value={Math.min(of.done, of.total)} max={of.total} />
      <span class="numbers little">
        {of.done} of {of.total}
      </span>
    </p>
  )
}
