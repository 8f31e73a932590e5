SELECT table, name, type, comment FROM system.columns WHERE database = 'rollstream' ORDER BY table, position
