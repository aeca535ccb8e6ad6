import { exampleConfig, exampleRules } from './examples.js'

/** How to come by rules of one's own. */
export const NoPolicyFile = () => (
  <section class="card no-policy" aria-labelledby="no-policy">
    <h2 id="no-policy">There is no policy file yet</h2>
    <ol>
      <li>
        <p>
          Write rules into a file beside the config, for example <code>policy.yaml</code>:
        </p>
        <pre class="example mono">{exampleRules}</pre>
      </li>
      <li>
        <p>Name it in the config:</p>
        <pre class="example mono">{exampleConfig}</pre>
      </li>
      <li>
        The gateway reads it as soon as the config is saved, and again whenever it changes. Then it can be tried and edited here.
      </li>
    </ol>
  </section>
)
