import type { Tool } from '../api/types.js'
import { href } from '../page/route.js'
import { Badge, type Tone } from '../parts/Badge.js'
import { Fact, Facts } from '../parts/Facts.js'
import { Text } from '../parts/text/Text.js'

type Answer = readonly [badge: string, tone: Tone, words: string]

const answers: { readonly [decision in Tool['decision']['anyone']]: Answer } = {
  allow: ['allowed', 'ok', 'Every caller who can see it may call it.'],
  ask: ['asks', 'info', 'Each call needs an approval.'],
  deny: ['denied', 'danger', 'Every call is refused.'],
  depends: ['depends', 'neutral', 'The decision depends on the caller and the arguments.'],
}

export function Callers({ tool: { decision, sets, scopes, state, waiting } }: { tool: Tool }) {
  const [badge, tone, words] = answers[decision.anyone]
  return (
    <Facts>
      <Fact name="The rules">
        <Badge tone={tone}>{badge}</Badge> {words} <ByRule of={decision} />
      </Fact>
      {scopes && scopes.length > 0 && (
        <Fact name="Scopes">
          Only callers with <Text of={scopes.join(' ')} mono />
        </Fact>
      )}
      <Fact name="Toolsets">
        {sets.length === 0 ? 'None: visible to callers without a toolset' : <Text of={sets.join(', ')} />}
      </Fact>
      {(waiting || state !== 'on') && (
        <Fact name="Currently">{waiting ? 'The tool is hidden until its definition is accepted.' : stateWords[state]}</Fact>
      )}
    </Facts>
  )
}

const stateWords: { readonly [state in Tool['state']]: string } = {
  on: '',
  off: 'The tool is off: not listed, and every call is refused.',
  hidden: 'The tool is hidden: not listed, and callable only if a rule names it.',
}

/** The rule that decides; if that depends on the call, the rule for a local call without arguments. */
function ByRule({ of: { anyone, rule } }: { of: Tool['decision'] }) {
  if (rule === undefined) return <>No rule applies, so the default decides.</>
  return (
    <>
      {anyone === 'depends' ? 'A call from this machine without arguments is decided by the rule ' : 'Decided by the rule '}
      <a href={href(['policy'], { rule })}>
        <Text of={rule} />
      </a>
      .
    </>
  )
}
