import time, cProfile, pstats
from tests.simulation.whatsapp.scenarios import EVERY
from tests.simulation.wire import When
from tests.simulation.accounts import *
def test_a(world):
    s=EVERY[1]
    tt={}
    def lap(n):
        nonlocal t
        tt[n]=tt.get(n,0)+time.time()-t; t=time.time()
    t=time.time()
    p=cProfile.Profile()
    for _ in range(40):
        t=time.time()
        world.reset(); lap("reset")
        s.begin(world); lap("begin")
        world.wire.die_at=(3,When.AFTER)
        world.work_off(); lap("work")
        account(world); lap("account")
        check_at_rest(world); lap("rest")
    print({k:v/40 for k,v in tt.items()})
    p.enable()
    for _ in range(40):
        s.begin(world); 
        world.wire.die_at=(3,When.AFTER)
        world.work_off()
    p.disable()
    pstats.Stats(p).sort_stats("tottime").print_stats(25)
