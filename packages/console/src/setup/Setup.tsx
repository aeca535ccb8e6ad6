import '../styles/setup.css'
import { currentRoute, replaceRoute } from '../page/route.js'
import { Tabs } from '../parts/Tabs.js'
import { View } from '../parts/View.js'
import { ApiKeyList } from './ApiKeyList.js'
import { ServerList } from './ServerList.js'

const tabs = [
  { id: 'servers', label: 'Servers' },
  { id: 'keys', label: 'API keys' },
]

/** What stands behind the gateway, and who may call it. */
export default function Setup(_: { path: string[] }) {
  const shown = currentRoute.value.query.get('show') === 'keys' ? 'keys' : 'servers'
  return (
    <View title="Setup" lead="The servers behind the gateway, and the API keys of callers.">
      <Tabs
        label="Setup"
        tabs={tabs}
        current={shown}
        onChange={(id) => replaceRoute(['setup'], { show: id === 'keys' ? id : undefined })}
      >
        {shown === 'keys' ? <ApiKeyList /> : <ServerList />}
      </Tabs>
    </View>
  )
}
