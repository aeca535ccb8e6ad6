import type { Approval, Hints } from '../../api/types.js'
import { FoldedText } from '../../parts/text/FoldedText.js'

/** The words of its server about the tool, if there are any. */
export function ServerDescription({ approval: { tool, claims, trusted } }: { readonly approval: Approval }) {
  const claimed = hintWords(claims)
  if (tool.description === undefined && !claimed) return null
  return (
    <details class="told-of-tool">
      <summary>What {trusted ? 'the server says' : 'the server claims'} about the tool</summary>
      {tool.description !== undefined && <FoldedText text={tool.description} over={1_200} />}
      {claimed && (
        <p class="little muted">
          {trusted ? 'Its hints, which are believed' : 'Its hints, which are not believed'}: {claimed}.
        </p>
      )}
    </details>
  )
}

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
