-- A cache, two pools of servers and rules, all in shared pointers.
setSecurityPollSuffix("") -- asks nobody else
local other = '127.0.0.1:' .. os.getenv('OTHER')
setLocal('127.0.0.1:' .. os.getenv('PORT'))
for i = 1, 20 do
  newServer { address = other, name = 'server ' .. i, pool = i % 2 == 0 and 'even' or '', checkInterval = 60 }
  addAction(QNameRule('name' .. i .. '.example.'), PoolAction('even'))
  addAction(AndRule { QTypeRule(16), NotRule(MaxQPSIPRule(i)) }, RCodeAction(5))
end
getPool(''):setCache(newPacketCache(10000))
local here = newSuffixMatchNode()
here:add(newDNSName('here.example.'))
addAction(SuffixMatchNodeRule(here), SpoofAction('192.0.2.1'))
