import type { Approval } from '../../api/types.js'
import { href } from '../../page/route.js'
import { Badge } from '../../parts/Badge.js'
import { EffectBadge } from '../../parts/EffectBadge.js'
import { claimTexts } from '../../parts/effect-claims.js'
import { Fact, Facts, Unverified } from '../../parts/Facts.js'
import { FoldedText } from '../../parts/text/FoldedText.js'
import { Text } from '../../parts/text/Text.js'
import { Ago, Countdown, Time } from '../../parts/time/Time.js'

export function CallFacts({ approval, isOver }: { readonly approval: Approval; readonly isOver: boolean }) {
  const { tool, claims, expiresAt, hints, trusted, held } = approval
  return (
    <header class="call-facts stack">
      <div class="call-title bar baseline">
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
      <p class="cluster">
        <EffectBadge claims={claims} trusted={trusted} long />
        {hints.openWorld && <Badge>may reach external systems</Badge>}
        {!trusted && <Badge title="Claims of this server about its tools are not trusted">server not trusted</Badge>}
      </p>
      <Asked approval={approval} />
      {held === false && !isOver && (
        <p class="muted little">The caller is not waiting. It will retry, and the call is made then if it is allowed in time.</p>
      )}
      <ServerDescription approval={approval} />
    </header>
  )
}

const Asked = ({ approval: { tool, server, caller, unverified, askedAt, rule } }: { readonly approval: Approval }) => (
  <Facts>
    <Fact name="Caller" text={caller}>
      {unverified && <Unverified />}
    </Fact>
    <Fact name="Server">{server === null ? 'this gateway' : <Text of={server} />}</Fact>
    <Fact name="Asked">
      <Ago at={askedAt} />, at <Time at={askedAt} />
    </Fact>
    <Fact name="Because">
      {rule === undefined ? 'no rule allows it' : 'rule '}
      {rule !== undefined && (
        <a href={href(['policy'])}>
          <Text of={rule} />
        </a>
      )}
    </Fact>
    <Fact name="Definition">
      <a href={href(['exposed', tool.name])} title={tool.hash}>
        <Text of={tool.hash.slice(0, 19)} mono />…
      </a>
    </Fact>
  </Facts>
)

/** The server's description of the tool and its claims, if there are any. */
function ServerDescription({ approval: { tool, claims, trusted } }: { readonly approval: Approval }) {
  const claimed = claimTexts(claims)
    .filter(({ said }) => said)
    .map(({ words }) => words)
    .join('; ')
  if (tool.description === undefined && !claimed) return null
  return (
    <details class="told-of-tool">
      <summary>{trusted ? 'Description from the server' : 'Description from the server (not trusted)'}</summary>
      {tool.description !== undefined && <FoldedText text={tool.description} over={1_200} />}
      {claimed && (
        <p class="little muted">
          {trusted ? 'Hints (trusted)' : 'Hints (not trusted)'}: {claimed}.
        </p>
      )}
    </details>
  )
}
