import { gatewayStatus } from '../page/status/gateway-status.js'
import { Icon } from '../parts/Icon.js'
import { Text } from '../parts/text/Text.js'

/** What is wrong, where something is. */
export function HealthProblems() {
  const status = gatewayStatus.value
  if (!status || status.troubles.length === 0) return null
  return (
    <section class={`troubles ${status.status === 'failing' ? 'danger' : 'warning'}`} aria-label="Troubles">
      <Icon name="warning" />
      <div>
        <h2>{status.status === 'failing' ? 'Calls are refused' : 'Not all is well'}</h2>
        <ul>
          {status.troubles.map((trouble) => (
            <li key={trouble}>
              <Text of={trouble} />
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
