import time, cProfile, pstats
from events.whatsapp.samples import sample
def test_a(world):
    e=sample("text").event
    p=cProfile.Profile(); 
    t=time.time()
    p.enable()
    for _ in range(60):
        world.reset(); world.deliver(e); world.work_off(); world.items(); world.objects()
    p.disable()
    print("per run", (time.time()-t)/60)
    pstats.Stats(p).sort_stats("cumtime").print_stats(45)
