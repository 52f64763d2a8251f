"""The linked game over an MQTT broker: `pond link`, a separate process that connects to the socket of a served board.

linked_home.py      between the messages of the board and the linked game; pure
changes_as_json.py  changes of a linked game in lines of protocol 1
stored_link.py      files of the linked game and its settings
broker_trial.py     trial connection to a broker, for the doctor
mqtt_connection.py  connection to a broker
link_process.py     process that plays the stored game

Home Assistant, over a broker too:

home_assistant.py            between the messages of the board and Home Assistant; pure
home_assistant_discovery.py  description of the device
home_assistant_link.py       settings, and the connection to the board and the broker
board_picture.py             picture of the board
"""
