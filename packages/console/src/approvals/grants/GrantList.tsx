import { deleteJson, pathSegment } from '../../api/api.js'
import type { Grant, Grants } from '../../api/types.js'
import { useGet } from '../../api/use-loaded.js'
import { Empty, LoadState } from '../../parts/LoadState.js'
import { toast } from '../../parts/Toast.js'
import { JsonText } from '../../parts/text/Json.js'
import { Text } from '../../parts/text/Text.js'
import { Countdown, currentTime } from '../../parts/time/Time.js'
import { toastError, WorkButton } from '../../parts/WorkButton.js'

export function GrantList() {
  const loaded = useGet<Grants>('/grants', {}, ['approval'])
  const { value, reload } = loaded
  const state = <LoadState of={loaded} what="the standing approvals" />
  if (!value) return state
  const grants = value.grants.filter(({ expiresAt }) => expiresAt > currentTime.value)
  if (grants.length === 0)
    return (
      <>
        {state}
        <Empty icon="check" title="No standing approvals">
          <p>Choose “Always allow …” on a pending call to allow similar calls for a limited time.</p>
        </Empty>
      </>
    )
  return (
    <>
      {state}
      <ul class="stack">
        {grants.map((grant) => (
          <GrantRow key={grant.id} grant={grant} onRevoked={reload} />
        ))}
      </ul>
    </>
  )
}

function GrantRow({ grant, onRevoked }: { readonly grant: Grant; readonly onRevoked: () => void }) {
  const { id, tool, caller, server, definitionHash, expiresAt, arguments: constraint } = grant
  const revoke = () =>
    deleteJson(`/grants/${pathSegment(id)}`)
      .then(() => toast('The approval is revoked, so matching calls need a decision again.'))
      .catch((thrown: unknown) => toastError(thrown, 'The approval could not be revoked'))
      .then(onRevoked)
  return (
    <li class="card padded stack near grant">
      <header class="cluster">
        <h2>
          <Text of={tool} mono />
        </h2>
        <span class="muted">
          for <Text of={caller} />
          <Text before=" on " of={server} />
        </span>
        <span class="push">
          ends in <Countdown until={expiresAt} />
        </span>
        <WorkButton variant="danger" small work={revoke}>
          Revoke
        </WorkButton>
      </header>
      <p class="little muted">
        While the tool has the definition <Text of={definitionHash.slice(0, 19)} mono />…
        {constraint ? ', with arguments that fit:' : ', with any arguments.'}
      </p>
      {constraint && <JsonText of={constraint} />}
    </li>
  )
}
