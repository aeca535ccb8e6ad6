import type { Approval, Hints } from '../api/types.js'
import { href } from '../page/route.js'
import { Badge } from '../parts/Badge.js'
import { Folded } from '../parts/Folded.js'
import { Text } from '../parts/Text.js'
import { Ago, Countdown, Time } from '../parts/Time.js'
import { dangerTones, dangerWords } from './danger.js'

/** Who wants to do what, and how long there is time to say yes or no. */
export function CallFacts({ approval, isOver }: { readonly approval: Approval; readonly isOver: boolean }) {
  const { tool, server, caller, danger, askedAt, expiresAt, rule, hints, claims, trusted, held } = approval
  const claimed = hintWords(claims ?? {})
  return (
    <header class="call-facts">
      <div class="call-title">
        <div>
          <h2 id="pending-call">
            <Text of={tool.name} mono />
          </h2>
          {tool.title !== undefined && tool.title !== tool.name && <Text of={tool.title} class="muted" />}
        </div>
        {!isOver && (
          <p class="time-left">
            <Countdown until={expiresAt} over="too late" /> <span class="little muted">until it is denied</span>
          </p>
        )}
      </div>
      <p class="badges">
        <Badge tone={dangerTones[danger]}>{dangerWords[danger]}</Badge>
        {hints.openWorld !== false && <Badge>may reach the world outside</Badge>}
        {!trusted && <Badge title="What its server claims about the tool is not believed">server not trusted</Badge>}
      </p>
      <dl class="facts">
        <dt>Caller</dt>
        <dd>
          <Text of={caller} />
        </dd>
        <dt>Server</dt>
        <dd>{server === null ? 'this gateway' : <Text of={server} />}</dd>
        <dt>Asked</dt>
        <dd>
          <Ago at={askedAt} />, at <Time at={askedAt} />
        </dd>
        <dt>Because</dt>
        <dd>{rule === undefined ? 'no rule allows it' : <RuleLink rule={rule} />}</dd>
        <dt>Definition</dt>
        <dd>
          <a href={href(['exposed', tool.name])} title={tool.hash}>
            <Text of={tool.hash.slice(0, 19)} mono />…
          </a>
        </dd>
      </dl>
      {held === false && !isOver && (
        <p class="muted little">
          The caller does not wait. It was told to call again, and the call is made then if it is allowed in time.
        </p>
      )}
      {(tool.description !== undefined || claimed) && (
        <details class="told-of-tool">
          <summary>What {trusted ? 'the server says' : 'the server claims'} about the tool</summary>
          {tool.description !== undefined && <Folded text={tool.description} over={1_200} />}
          {claimed && (
            <p class="little muted">
              {trusted ? 'Its hints, which are believed' : 'Its hints, which are not believed'}: {claimed}.
            </p>
          )}
        </details>
      )}
    </header>
  )
}

const RuleLink = ({ rule }: { readonly rule: string }) => (
  <>
    rule{' '}
    <a href={href(['policy'])}>
      <Text of={rule} />
    </a>
  </>
)

/** What hints mean, in words. */
function hintWords({ readOnly, destructive, idempotent, openWorld }: Hints): string {
  const said = [
    readOnly === true && 'it only reads',
    readOnly === false && 'it may change things',
    destructive === true && 'it may delete or overwrite',
    destructive === false && 'it deletes and overwrites nothing',
    idempotent === true && 'doing it twice is no more than doing it once',
    openWorld === false && 'it stays in a world of its own',
  ]
  return said.filter((one) => one !== false).join('; ')
}
