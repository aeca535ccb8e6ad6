import { Button } from '../../parts/Button.js'
import { Text } from '../../parts/text/Text.js'

type Props = {
  readonly problems: readonly { readonly line?: number; readonly message: string }[]
  readonly onGoTo: (line: number) => void
}

/** What is wrong with the text, and where; each leads to its line. */
export const RuleProblems = ({ problems, onGoTo }: Props) => (
  <ul class="problems" id="rules-problems" aria-live="polite">
    {problems.map(({ line, message }) => (
      <li key={`${line} ${message}`}>
        {line !== undefined && (
          <Button small onClick={() => onGoTo(line)}>
            Line {line}
          </Button>
        )}
        <Text of={message} />
      </li>
    ))}
  </ul>
)
