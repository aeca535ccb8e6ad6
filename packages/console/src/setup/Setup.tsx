import '../styles/setup.css'
import { replaceRoute, route } from '../page/route.js'
import { Tabs } from '../parts/Tabs.js'
import { View } from '../parts/View.js'
import { ApiKeys } from './ApiKeys.js'
import { ServerList } from './ServerList.js'

const tabs = [
  { id: 'servers', label: 'Servers' },
  { id: 'keys', label: 'API keys' },
]

/** What stands behind the gateway, and who may call it. */
export default function Setup(_: { path: string[] }) {
  const shown = route.value.query.get('show') === 'keys' ? 'keys' : 'servers'
  return (
    <View title="Setup" lead="The servers behind the gateway, and the keys with which callers come.">
      <Tabs
        label="Setup"
        tabs={tabs}
        current={shown}
        onChange={(id) => replaceRoute(['setup'], { show: id === 'keys' ? id : undefined })}
      >
        {shown === 'keys' ? <ApiKeys /> : <ServerList />}
      </Tabs>
    </View>
  )
}
