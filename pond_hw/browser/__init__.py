"""Pond in a browser tab: the phone page with a simulated board of its own, without hardware, server or threads.

setup_trial.py     trial of set-up: break a sensor and let set-up find the fault
"""
