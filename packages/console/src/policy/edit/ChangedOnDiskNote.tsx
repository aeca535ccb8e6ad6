import { Button } from '../../parts/Button.js'
import { Difference } from '../../parts/text/Difference.js'

type Props = { readonly mine: string; readonly file: string; readonly onMine: () => void; readonly onFile: () => void }

/** The file was changed while somebody was changing it here: nothing is saved over it unseen. */
export const ChangedOnDiskNote = ({ mine, file, onMine, onFile }: Props) => (
  <section class="overtaken" aria-label="The file has changed">
    <p role="alert">
      <strong>The file has changed since you began.</strong> Look at how your text differs from what is in it now, and choose.
    </p>
    <Difference before={file} after={mine} labels={['in the file now', 'your text']} />
    <div class="edit-buttons">
      <Button onClick={onFile}>Begin again with the file</Button>
      <Button variant="danger" onClick={onMine}>
        Keep my text, to be saved over it
      </Button>
    </div>
  </section>
)
