import { ApiError } from '../api/api.js'
import { Button } from './Button.js'
import { Icon } from './Icon.js'
import { Text } from './text/Text.js'

type Props = {
  readonly error: unknown
  /** The failure, as in "The tools could not be loaded". */
  readonly title: string
  readonly onRetry?: () => void
}

/** An error with its reason and a retry button. */
export const Problem = ({ error, title, onRetry }: Props) => (
  <div class="trouble notice framed danger with-icon" role="alert">
    <Icon name="warning" />
    <div>
      <p class="trouble-title">{title}</p>
      <p>
        <Text of={errorText(error)} />
      </p>
    </div>
    {onRetry && (
      <Button icon="restart" onClick={onRetry}>
        Try again
      </Button>
    )}
  </div>
)

export function errorText(thrown: unknown): string {
  if (thrown instanceof ApiError && thrown.status === 401) return 'This session is over.'
  return thrown instanceof Error ? thrown.message : String(thrown)
}
